"""The rules of Speed, a sister of Spit played from a hand that is refilled."""
