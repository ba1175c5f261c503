// Holds openapi.json to the specification of OpenAPI 3.1, references and examples included, by a linter that others use
// (docs/internals/decisions/0039).
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const source = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    // Health checks have no errors of the client's, and some responses belong to requests that reach no operation.
    'operation-4xx-response': 'off',
    'no-unused-components': 'off',
  },
});
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
for (const { ruleId, message, location } of problems) {
  console.error(`openapi.json${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
}
if (problems.length > 0) process.exitCode = 1;
