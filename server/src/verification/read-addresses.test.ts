import { expect, test } from 'vitest';
import type { Domain } from '../domain/domain.ts';
import type { CheckedAddress, SelfChecker, SelfCheckResult } from './observation/self-check.ts';
import { readAddresses } from './read-addresses.ts';

const domain = { name: 'acme.com', target: 'target.cname.example', sharedAddresses: null } as Domain;
const answer = (outcome: CheckedAddress['outcome'], address = '192.0.2.1'): CheckedAddress => ({
  address,
  outcome,
  seen: null,
  responded: true,
  noRoute: false,
});
const checked = (...answers: CheckedAddress[]): SelfCheckResult => ({ kind: 'checked', at: 1, answers, chain: [] });
const NO_ADDRESS: SelfCheckResult = { kind: 'no_address', chain: [] };
const UNREADABLE: SelfCheckResult = { kind: 'unreadable', seen: { kind: 'unreadable', reason: 'timeout', chain: [] } };

/** `own`: at the addresses of the name; `control`: at those of its target, for the same name. */
async function read(own: SelfCheckResult, control: SelfCheckResult | null = null) {
  const check: SelfChecker = async (hostname, _signal, addressesOf) => {
    expect(hostname).toBe('acme.com');
    if (addressesOf === undefined) return own;
    expect(addressesOf).toBe('target.cname.example');
    if (control === null) throw new Error('no control was expected');
    return control;
  };
  return (await readAddresses(check, domain, new AbortController().signal, () => 0.5, 'cname.example')).kind;
}

test('a name is ours where an address answers as ours and no other server answers', async () => {
  expect(await read(checked(answer('ours')))).toBe('ours');
  expect(await read(checked(answer('ours'), answer('unreachable')))).toBe('ours');
  expect(await read(checked(answer('ours'), answer('another')))).toBe('partly');
  expect(await read(checked(answer('ours'), answer('not_public')))).toBe('partly');
});

test.each([
  ['another server answers', checked(answer('another'))],
  ['nothing answers', checked(answer('unreachable'), answer('unreachable', '192.0.2.2'))],
  ['its addresses are not public', checked(answer('not_public'))],
  ['it has no address', NO_ADDRESS],
])('where %s it leads elsewhere only if the addresses of its target answer as ours', async (_, own) => {
  expect(await read(own, checked(answer('ours')))).toBe('elsewhere');
  expect(await read(own, checked(answer('unreachable'), answer('ours')))).toBe('elsewhere');
  for (const control of [checked(answer('unreachable')), checked(answer('another')), NO_ADDRESS, UNREADABLE])
    expect(await read(own, control)).toBe('unchecked');
});

test('addresses that cannot be looked up are no addresses of anybody', async () => {
  expect(await read(UNREADABLE)).toBe('unreadable');
});

test('a check that takes too long is unreadable; an error of the store is not', async () => {
  const fails: SelfChecker = async () => {
    throw new Error('the store is down');
  };
  await expect(readAddresses(fails, domain, new AbortController().signal, () => 0.5, 'cname.example')).rejects.toThrow(
    'the store is down',
  );
  expect(await readAddresses(fails, domain, AbortSignal.abort(), () => 0.5, 'cname.example')).toEqual({
    kind: 'unreadable',
  });
});
