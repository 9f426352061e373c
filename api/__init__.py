"""The edge: command line, match runner, web server and pages. The only room that may import all others."""
