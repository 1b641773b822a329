"""Answers of people to questions of ours: how they are read, and what each kind of answer does to each question.

A yes is a word. An answer is cut into segments, and each has to be known from
`words/*.toml`: one that is not makes it words, which a person has to read.
"""
