"""The rules of Spit: one module for each chapter of the rule book, put together by ``judge``."""
