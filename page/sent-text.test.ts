import { expect, it } from 'vitest';
import { HOSTILE, STATES } from '../test/page/states.ts';
import { en } from './languages/en.ts';
import { mailto, sentText } from './sent-text.ts';
import { INITIAL_STATE } from './setup-state.ts';
import { setTexts } from './text.ts';
import { viewOf } from './view.ts';

setTexts(en.texts);

function textOf(name: string): string {
  const { domain, diagnosis = null, certificate = null } = STATES[name]?.script ?? {};
  if (domain === undefined) throw new Error(`There is no state ${name}.`);
  const view = viewOf({ ...INITIAL_STATE, link: 'open', domain, diagnosis, certificate });
  return view === undefined ? '' : sentText(view, domain.domain);
}

it('a message has both records, aligned, each name as the panel wants it and in full', () => {
  expect(textOf('publish')).toBe(`Please add these DNS records for shop.example.com:

Type:      CNAME
Name:      shop
Full name: shop.example.com
Value:     y2uehzjxc0frr9ivucwc.cname.customers.example.net

Type:      TXT
Name:      _service.shop
Full name: _service.shop.example.com
Value:     service-domain-verify=lIvwgnrfwUaY2uPCJ6Vaipt4`);
});

it('before the zone is known, a name is given in full alone', () => {
  expect(textOf('before the first look')).not.toContain('\nName:');
  expect(textOf('before the first look')).toContain('Full name: _service.shop.example.com');
});

it('a record that was found is not asked for again', () => {
  expect(textOf('one found')).toContain('Please add this DNS record');
  expect(textOf('one found')).not.toContain('TXT');
});

it('a CAA record that the certificate needs is in it, field by field', () => {
  expect(textOf('CAA record in the way')).toContain(`Type:      CAA
Name:      @
Full name: example.com
Flags:     0
Tag:       issue
Value:     letsencrypt.org`);
});

it('an apex has the addresses for providers without ALIAS records, and a site that moves its record for the certificate', () => {
  expect(textOf('apex in Unicode, unknown provider')).toContain('Value:     203.0.113.80');
  expect(textOf('moving, offered')).toContain('_acme-challenge.shop.example.com');
});

it('a live site has nothing to send', () => {
  expect(textOf('live')).toBe('');
});

it.each([...Object.keys(STATES), 'hostile'])('%s: the address of a message has it, and nothing else', (name) => {
  const text = name === 'hostile' ? (HOSTILE.diagnosis.zone?.name ?? '') : textOf(name);
  const address = new URL(mailto('a & b?\r\nBcc: c@d.example', text));
  expect([...address.searchParams]).toEqual([
    ['subject', 'a & b?\r\nBcc: c@d.example'],
    ['body', text.replaceAll('\n', '\r\n')],
  ]);
  expect(address.pathname).toBe('');
  // Mail programs cut longer ones off.
  expect(address.href.length).toBeLessThan(2_000);
});
