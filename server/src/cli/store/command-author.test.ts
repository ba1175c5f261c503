import { hostname, userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { commandAuthor, userOf } from './open-database.ts';

it('is the user of the process, as the system knows it, and the host', () => {
  const by = commandAuthor('keys create');
  expect(by).toMatchObject({ kind: 'command', action: 'keys create', from: hostname(), requestId: null });
  expect(by.actor.startsWith(userInfo().username)).toBe(true);
});

it('names the user of sudo only for root, and marks it as a claim of the variable', () => {
  const { username } = userInfo();
  expect(userOf(0, { SUDO_USER: 'ada' })).toBe(`${username} (SUDO_USER=ada)`);
  expect(userOf(1000, { SUDO_USER: 'ada', USER: 'ada', LOGNAME: 'ada' })).toBe(username);
  expect(userOf(0, {})).toBe(username);
});
