# SPDX-License-Identifier: Apache-2.0
"""Writes tables as Parquet files with pyarrow. Standard input is JSON: {"made_by", "tables": [{"name", "title",
"remarks": [text], "columns": [{"name", "type": "string", "int64" or "float64", "values": [value or null]}]}]}. The
arguments are the files of the tables, in the same order."""
import json
import sys

import pyarrow
import pyarrow.parquet


def table_of(wanted, made_by):
    columns = wanted["columns"]
    schema = pyarrow.schema(
        [pyarrow.field(column["name"], getattr(pyarrow, column["type"])()) for column in columns],
        metadata={"title": wanted["title"], "remarks": json.dumps(wanted["remarks"]), "ngb_version": made_by})
    values = [pyarrow.array(column["values"], field.type) for column, field in zip(columns, schema)]
    return pyarrow.Table.from_arrays(values, schema=schema)


def main():
    wanted = json.load(sys.stdin.buffer)
    for table, path in zip(wanted["tables"], sys.argv[1:]):
        try:
            with open(path, "wb") as file:
                pyarrow.parquet.write_table(table_of(table, wanted["made_by"]), file)
        except (OSError, ValueError, TypeError) as error:
            sys.exit(f"{table['name']}: " + " ".join(str(error).split())[:500])


main()
