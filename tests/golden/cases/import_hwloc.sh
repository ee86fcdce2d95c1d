sed 's/"n1"/"n2"/' n1.xml >n2.xml
sed '/HostName/d; s/16777216/33554432/' n1.xml >big.xml
try import hwloc n1.xml n2.xml big.xml --card 1.25e9
try import hwloc n1.xml n1.xml --card 1.25e9
try import hwloc n1.xml
try import hwloc --card 1e9
try import hwloc unit.json --card 1e9
head -20 n1.xml >half.xml
try import hwloc half.xml --card 1e9
try import hwloc /dev/null --card 1e9
sed 's/"n1"/"n[1-2]"/' n1.xml >list.xml
try import hwloc list.xml --card 1e9
mv big.xml a,b.xml
try import hwloc a,b.xml --card 1e9
try import hwloc --help
try import slurm topology.conf --card 1.25e9 -o slurm.json
sed 's/"n1"/"n001"/' n1.xml >n001.xml
try import hwloc n001.xml --card 1.25e9 -o hwloc.json
try merge slurm.json hwloc.json -o both.json
grep '"kind": \|"names"\|"signature"' both.json
