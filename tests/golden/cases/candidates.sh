try candidates
try candidates --json | tr '{' '\n' | head -3
