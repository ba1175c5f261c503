import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { DOMAIN_EVENT_TYPES } from '../../server/src/domain/domain-event.ts';
import { TEST_EVENT_TYPE } from '../../server/src/domain/webhook-message.ts';
import { document, strict } from '../support/api-contract.ts';
import { formatted, producedBodies } from './webhook-bodies.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8');
const TYPES = [...DOMAIN_EVENT_TYPES, TEST_EVENT_TYPE];
/** The bodies on the page, by the headings above them. */
const shown = new Map(
  [...page.matchAll(/^### `([a-z._]+)`\n(?:(?!^#)[\s\S])*?^```json\n([\s\S]*?)\n```$/gm)].map(([, type, body]) => [
    type,
    body,
  ]),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int64: true, 'date-time': true } });
ajv.addSchema(strict(document), 'openapi');

describe('docs/guides/webhooks.md', () => {
  let produced: Map<string, string>;
  beforeAll(async () => {
    produced = await producedBodies();
  });

  it('shows every type of event, and no other', () => {
    expect([...shown.keys()].toSorted()).toEqual(TYPES.toSorted());
    expect([...produced.keys()].toSorted()).toEqual(TYPES.toSorted());
  });

  it.each(TYPES)('shows the body of %s in openapi.json, with every property that it has', (type) => {
    const schema = 'openapi#/components/schemas/WebhookEvent';
    const validate = ajv.compile({ $ref: schema });
    expect(validate(JSON.parse(produced.get(type) ?? '{}')), ajv.errorsText(validate.errors)).toBe(true);
  });

  it.each(TYPES)('shows the body of %s as it is sent, with a whole domain in the first alone', (type) => {
    const first = produced.get('domain.created') ?? '{}';
    expect(shown.get(type)).toBe(formatted(produced.get(type) ?? '{}', first));
  });
});
