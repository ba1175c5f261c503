import { describe, expect, it } from 'vitest';
import { PRESETS as PRESETS_OF_SERVER } from '../../server/src/access/presets.ts';
import { givable, mayGive, PRESETS } from './keys-presets.ts';

it('presets are those of the server', () => {
  expect(sorted(PRESETS)).toEqual(sorted(PRESETS_OF_SERVER));
});

function sorted(presets: Record<string, readonly string[]>) {
  return Object.entries(presets).map(([name, grants]) => [name, [...grants].sort()]);
}

describe('a person is offered the presets that they may give', () => {
  it.each([
    ['an owner', PRESETS.owner, ['read-only', 'support', 'owner']],
    ['support', PRESETS.support, ['read-only', 'support']],
    ['somebody who reads domains', ['environment.*.read_domain'], []],
  ] as const)('%s', (_, own, offered) => {
    expect(givable(own)).toEqual(offered);
  });

  it.each([
    ['a permission on all gives one on one', ['webhook.*.read_webhook'], ['webhook.wh_1.read_webhook'], true],
    ['a permission on one gives none on all', ['webhook.wh_1.read_webhook'], ['webhook.*.read_webhook'], false],
    ['a permission gives no other action', ['webhook.*.read_webhook'], ['webhook.wh_1.update_webhook'], false],
  ])('%s', (_, own, wanted, may) => {
    expect(mayGive(own, wanted)).toBe(may);
  });
});
