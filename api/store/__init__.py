"""What a server must remember beyond the records: matches, tokens, answers given, the audit, webhooks.

The record of a match stays the truth about it; nothing here says what was seen or ruled.
"""
