import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../words/presets.ts';
import { givable, mayGive } from './keys-presets.ts';

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
