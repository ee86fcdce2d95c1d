try
try --help
try help tree
for command in "generate" "generate random" "generate tiers" "generate sites" solve schedule plan tree predict show export draw report candidates; do
    try $command --help
done
