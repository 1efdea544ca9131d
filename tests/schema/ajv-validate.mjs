// SPDX-License-Identifier: BSD-2-Clause-Patent
// tests/schema/ajv-validate.mjs SCHEMA_FOLDER MODULES_FOLDER [--partial] FILE...
//
// Every line of the files against the Open Compute Project's own schema (root.json and what it refers to), with ajv from
// MODULES_FOLDER/node_modules. --partial: a last line without its end was cut by a power loss and is not read.
// Exit 0: all lines are valid; 1: one is not; 2: the schema or a file could not be read.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [schemaFolder, modulesFolder, ...rest] = process.argv.slice(2);
const partial = rest.includes("--partial");
const files = rest.filter((argument) => argument !== "--partial");

function load() {
    const require = createRequire(join(resolve(modulesFolder), "package.json"));
    const Ajv = require("ajv/dist/2020").default;
    const addFormats = require("ajv-formats").default;
    const ajv = new Ajv({ strict: false, allErrors: false });
    addFormats(ajv);
    for (const name of readdirSync(schemaFolder)) {
        if (name.endsWith(".json")) ajv.addSchema(JSON.parse(readFileSync(join(schemaFolder, name), "utf8")));
    }
    const root = JSON.parse(readFileSync(join(schemaFolder, "root.json"), "utf8"));
    return ajv.getSchema(root.$id);
}

function firstFault(validate, text) {
    const lines = text.split("\n");
    const last = lines.pop();
    if (last !== "" && !partial) return `line ${lines.length + 1}: has no end`;
    for (const [index, line] of lines.entries()) {
        let value;
        try {
            value = JSON.parse(line);
        } catch (error) {
            return `line ${index + 1}: ${error.message}`;
        }
        if (!validate(value)) {
            const fault = validate.errors[0];
            return `line ${index + 1}: ${fault.instancePath || "/"} ${fault.message}`;
        }
    }
    return lines.length === 0 ? "is empty" : null;
}

let outcome = 0;
try {
    const validate = load();
    for (const file of files) {
        const fault = firstFault(validate, readFileSync(file, "utf8"));
        if (fault !== null) {
            console.error(`${file}: ${fault} (schema of the Open Compute Project)`);
            outcome = 1;
        }
    }
} catch (error) {
    console.error(`ajv-validate: ${error.message}`);
    outcome = 2;
}
process.exit(outcome);
