import { expect, it } from 'vitest';
import { takeInheritance, takeSystemdSockets, withInheritance } from './inheritance.ts';

const systemd = (names: string, about = {}) => ({
  LISTEN_PID: '7',
  LISTEN_FDS: String(names.split(':').length),
  LISTEN_FDNAMES: names,
  ...about,
});

it('sockets of systemd are known by their names, or by those of their units; several of one name belong together', () => {
  const env = systemd('https:api:nameplate-https.socket');
  expect(takeSystemdSockets(env, 7)).toEqual([
    { name: 'https', endpoint: null, port: null, fds: [3, 5] },
    { name: 'api', endpoint: null, port: null, fds: [4] },
  ]);
  expect(env).toEqual({});
});

it('sockets for another process are not ours', () => {
  expect(takeSystemdSockets(systemd('api', { LISTEN_PID: '8' }), 7)).toEqual([]);
  expect(takeSystemdSockets({}, 7)).toEqual([]);
});

it('an unknown name is refused, with a list of the known ones', () => {
  expect(() => takeSystemdSockets(systemd('unknown'), 7)).toThrow(
    /"unknown".*api, metrics, http, https, health, front/,
  );
});

it('the inheritance of a process arrives complete, and is not passed on', () => {
  const given = {
    sockets: [{ name: 'api', endpoint: { host: '::1', port: 0 }, port: 7070, fds: [5, 6] }],
    lifeline: 4,
    control: '/run/control.sock',
  } satisfies Parameters<typeof withInheritance>[1];
  const env = withInheritance({ HOME: '/' }, given);
  expect(takeInheritance(env)).toEqual(given);
  expect(env).toEqual({ HOME: '/' });
  expect(takeInheritance(env)).toBeNull();
});
