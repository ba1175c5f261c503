import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DOMAIN_EVENT_TYPES } from '../../server/src/domain/domain-event.ts';
import { TEST_EVENT_TYPE } from '../../server/src/domain/webhook-message.ts';
import { formatted, producedBodies } from './webhook-bodies.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const TYPES = [...DOMAIN_EVENT_TYPES, TEST_EVENT_TYPE];
/** The bodies on the page, by the headings above them. */
const shown = new Map(
  [...page.matchAll(/^### `([a-z.]+)`\n(?:(?!^#)[\s\S])*?^```json\n([\s\S]*?)\n```$/gm)].map(([, type, body]) => [
    type,
    body,
  ]),
);

describe('docs/webhooks.md', () => {
  let produced: Map<string, string>;
  beforeAll(async () => {
    produced = await producedBodies();
  });

  it('shows every type of event, and no other', () => {
    expect([...shown.keys()].toSorted()).toEqual(TYPES.toSorted());
    expect([...produced.keys()].toSorted()).toEqual(TYPES.toSorted());
  });

  it.each(TYPES)('shows the body of %s as it is sent', (type) => {
    expect(shown.get(type)).toBe(formatted(produced.get(type) ?? '{}'));
  });
});
