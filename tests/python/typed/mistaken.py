"""Each line has one mistake that a type checker must find; wheel.py counts them."""
import ccgraph

ccgraph.read(7)
ccgraph.read("a.json").digest + 1
ccgraph.optimize("a.json")
ccgraph.optimize(ccgraph.read("a.json"), machines="h100x8")
ccgraph.report(ccgraph.read("a.json")).nodes
ccgraph.tidy
