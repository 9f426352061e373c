"""The rules of Nerts: one module for each chapter of the rule book, put together by ``judge``."""
