#!/bin/sh
# Make the parts gpu_run.sh unpacks: gpu_pack.sh SHARDS PARTS
set -eu
mkdir -p "$2"
rm -f "$2"/shards.tar.part-*
trap 'rm -f "$2/shards.tar"' EXIT
tar -c -f "$2/shards.tar" -C "$1" train held # no pipe: it would hide that a split is missing
split -b 60m "$2/shards.tar" "$2/shards.tar.part-"
