// SPDX-License-Identifier: BSD-2-Clause-Patent
// run-queries.mjs FILE: runs the statements of a JSON object {name: SQL} one after the other in an empty DuckDB, in this folder.
// Prints {name: rows of the last statement, each an object}.
import fs from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const answers = {};
for (const [name, sql] of Object.entries(JSON.parse(fs.readFileSync(process.argv[2], "utf8")))) {
    try {
        answers[name] = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } catch (e) {
        console.error(`${name}: ${e.message}`);
        process.exit(1);
    }
}
console.log(JSON.stringify(answers));
