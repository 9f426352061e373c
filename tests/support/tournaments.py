"""A tournament for tests: two rounds at one table, with partners, a handicap and long names."""

PLAN = """
format = 1
name = "Winter Nerts"
target = 100
players = [
  { name = "Ana", nerts_pile = 15 }, { name = "Ben" },
  { name = "عمر" }, { name = "Wolfeschlegelsteinhausenbergerdorff" },
]
[[rounds]]
name = "First"
tables = [{ table = "kitchen", seats = { south = "Ana", north = "Ben" } }]
[[rounds]]
target = 150
[[rounds.tables]]
table = "hall"
seats = { south = "عمر", west = "Ana", north = "Ben", east = "Wolfeschlegelsteinhausenbergerdorff" }
partners = { west = "south", east = "north" }
"""

DUEL = """
format = 1
name = "A duel"
players = [{ name = "Ana" }, { name = "Ben" }]
[[rounds]]
tables = [{ table = "kitchen", seats = { south = "Ana", north = "Ben" } }]
"""
"""One match: who plays the made ones."""
