import { describe, expect, it } from 'vitest';
import { isLooping, viaPseudonym } from './via.ts';

const [INSTALLATION, NAME] = ['cname.example.com', 'shop.acme.com'];
const own = viaPseudonym(INSTALLATION, NAME);

it('an edge has another pseudonym for each name, and the same as the other edges of its installation', () => {
  expect(own).toMatch(/^nameplate-[0-9a-f]{8}$/);
  expect(viaPseudonym(INSTALLATION, NAME)).toBe(own);
  expect(viaPseudonym(INSTALLATION, 'blog.acme.com')).not.toBe(own);
  expect(viaPseudonym('cname.example.net', NAME)).not.toBe(own);
});

describe('a request', () => {
  it.each([
    [['Via', `1.1 ${own}`]],
    [['via', `1.1 cache, 2.0 ${own} (comment)`]],
    [['X-A', 'b', 'VIA', '1.0 a', 'Via', `HTTP/1.1\t${own.toUpperCase()},1.1 b`]],
  ])('is in a loop with the own pseudonym in Via: %j', (rawHeaders) => {
    expect(isLooping(rawHeaders, INSTALLATION, NAME)).toBe(true);
  });

  it('is in a loop after eight edges, whatever the names: a chain of sites would take a connection for each', () => {
    const hops = Array.from({ length: 8 }, (_, at) => `1.1 ${viaPseudonym(INSTALLATION, `d${at}.acme.com`)}`);
    expect(isLooping(['Via', hops.join(', ')], INSTALLATION, NAME)).toBe(true);
    expect(isLooping(['Via', hops.slice(0, 4).join(', '), 'Via', hops.slice(4).join()], INSTALLATION, NAME)).toBe(true);
    expect(isLooping(['Via', hops.slice(1).join(', ')], INSTALLATION, NAME)).toBe(false);
  });

  it.each([
    [[]],
    [['Via', '']],
    [['Via', `1.1 nameplate, 1.1 ${viaPseudonym(INSTALLATION, 'blog.acme.com')}`]],
    [['Via', `1.1 ${viaPseudonym('cname.example.net', NAME)}`]],
    [['X-Via', `1.1 ${own}`]],
    [['Forwarded', `by=${own}`]],
  ])('is in none otherwise: %j', (rawHeaders) => {
    expect(isLooping(rawHeaders, INSTALLATION, NAME)).toBe(false);
  });
});
