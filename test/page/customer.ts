import type { Locator, Page } from 'playwright-core';
import type { DnsPanel, Entry } from './provider-panel.ts';

/** The texts of the page, as a customer reads them: values stand between backticks. */
export interface Advice {
  title: string;
  /** The mistake, or the current step. */
  message: string;
  /** The fix; empty where the page shows only the records. */
  fix: string;
  records: CardRecord[];
}

/** A record as its card shows it. */
export interface CardRecord extends Entry {
  /** Whether it is there. */
  state: string;
  /** Records for a provider that has none of this type. */
  instead: Entry[];
}

export async function readAdvice(page: Page): Promise<Advice> {
  await page.getByText('Wait a moment before you type it').first().waitFor({ state: 'detached' });
  const now = page.locator('section.current-step');
  const message = (await Promise.all((await now.locator('[role=status] > p').all()).map(proseOf))).join(' ');
  const records = await Promise.all((await page.locator('article.record').all()).map(cardOf));
  const hint = now.locator('.task > li:nth-child(2) > p').first();
  const isTask = (await hint.count()) > 0;
  const told = isTask ? await proseOf(hint) : message;
  // The fields of the record that the step is about say what to type.
  const about = records.find(({ state }) => IS_WRONG.test(state)) ?? records[0];
  const typed = about && !told.includes('Name: ') ? ` Name: \`${about.name}\`, Value: \`${about.value}\`.` : '';
  return {
    title: (await now.locator('h2').first().innerText()).trim(),
    message,
    fix: isTask ? `${told}${typed}` : told,
    records,
  };
}

/** `<code>` as backticks. */
function proseOf(paragraph: Locator): Promise<string> {
  return paragraph.evaluate((element) =>
    [...element.childNodes]
      .map((node) => (node.nodeName === 'CODE' ? `\`${node.textContent}\`` : node.textContent))
      .join(''),
  );
}

async function cardOf(card: Locator): Promise<CardRecord> {
  const field = async (label: string) => {
    const shown = card
      .locator('.field')
      .filter({ has: card.page().locator('dt', { hasText: label }) })
      .locator('dd > code');
    return (await shown.count()) === 0 ? '' : ((await shown.textContent()) ?? '');
  };
  const type = (await card.locator('header h3').innerText()).replace(/ record$/, '') as Entry['type'];
  const value = await field('Value');
  const name = await field('Name');
  const instead = await card.locator('.instead .field').all();
  return {
    type,
    // As it says: the zone itself is “@”.
    name: (await card.getByText('“@”').count()) > 0 ? '@' : name,
    instead: await Promise.all(
      instead.map(async (one) => ({
        type: (await one.locator('dt').innerText()).trim() as Entry['type'],
        name,
        value: (await one.locator('dd code').textContent()) ?? '',
      })),
    ),
    value: type === 'CAA' ? `${await field('Flags')} ${await field('Tag')} "${value}"` : value,
    state: (await card.locator('.chip').innerText()).trim(),
  };
}

/**
 * Does what the page says, word by word, and nothing that it does not say. Throws where its words leave open what to
 * do.
 */
export async function doAsTold(advice: Advice, panel: DnsPanel): Promise<void> {
  if (/At the registrar of \S+, remove the DS record/.test(advice.fix)) await panel.setDs([]);
  else await panel.save(entriesAsTold(advice, panel));
}

function entriesAsTold({ title, message, fix, records }: Advice, panel: DnsPanel): Entry[] {
  if (fix === '' || /^(Add these|One record found)/.test(title)) return addMissing(records, panel);
  if (/^(Change these records|Exchange the names)/.test(fix)) return replaceWrong(records, panel);
  // The customer takes the first of two ways.
  const [told = ''] = fix.split(/ Or, /);
  // Saved again, it is at all nameservers.
  if (/publish the same at all of them/.test(told)) return [...panel.entries];
  const name = typedName(told);
  const here = (entry: Entry) => panel.fullName(entry.name) === panel.fullName(name);
  const kept = panel.entries.filter((entry) => !(here(entry) && isToBeDeleted(entry, told)));
  const addresses = /give \S+ these addresses and no others: (.*?)\. Name:/.exec(told);
  if (addresses !== null) {
    const values = [...(addresses[1] ?? '').matchAll(/A `([^`]*)`/g)].map(([, value = '']) => value);
    return [...kept, ...values.map((value): Entry => ({ type: 'A', name, value }))];
  }
  const entry = { type: typeOf(told, message), name, value: typedValue(told) };
  // The first way is for providers that have this type.
  const instead = records.find(({ type }) => type === entry.type)?.instead ?? [];
  if (entry.type === 'ALIAS' && !panel.hasAlias) return [...kept, ...instead];
  const isChange = /\b[Cc]hange\b/.test(told);
  return [...(isChange ? kept.filter((one) => one !== changed(kept, entry, message, panel)) : kept), entry];
}

/** Those that are not there yet. */
function addMissing(records: CardRecord[], panel: DnsPanel): Entry[] {
  const missing = records.filter(({ state }) => !/^(Found|Hidden|Not needed)/.test(state));
  const entered = missing.flatMap(({ instead, ...record }) =>
    instead.length > 0 && !panel.hasAlias ? instead : [record],
  );
  return [...panel.entries, ...entered.map(({ type, name, value }) => ({ type, name, value }))];
}

const IS_WRONG = /wrong|change|no longer/i;

/** Each record that is marked as wrong, as its card says. */
function replaceWrong(records: CardRecord[], { entries }: DnsPanel): Entry[] {
  const wrong = records.filter(({ state }) => IS_WRONG.test(state));
  const kept = entries.filter(({ type }) => !wrong.some((record) => record.type === type));
  return [...kept, ...wrong.map(({ type, name, value }) => ({ type, name, value }))];
}

function isToBeDeleted({ type, value }: Entry, told: string): boolean {
  const isAddress = type === 'A';
  if (/delete every other CNAME, A and AAAA record at this name/.test(told)) {
    return isAddress || (type === 'CNAME' && value !== typedValue(told)) || type === 'CNAME';
  }
  if (isAddress && /(?:delete (?:the|every)|no) A (?:and|or) AAAA records?|these addresses and no others/.test(told))
    return true;
  return /[Dd]elete (?:the|every) (.+?) records? at this name/.exec(told)?.[1]?.split(' and ').includes(type) ?? false;
}

/** The record that the page means by "the CNAME record": the only one, else that at the name it was seen at, else that at the name of its card. */
function changed(entries: readonly Entry[], { type, name }: Entry, message: string, panel: DnsPanel): Entry {
  const those = entries.filter((entry) => entry.type === type);
  const named = those.filter((entry) => message.includes(`\`${panel.fullName(entry.name)}\``));
  const here = those.filter((entry) => panel.fullName(entry.name) === panel.fullName(name));
  const [only] = [those, named, here].find(({ length }) => length === 1) ?? [];
  if (only === undefined) throw new Error(`which ${type} record is meant? ${message}`);
  return only;
}

function typeOf(told: string, message: string): Entry['type'] {
  if (/record that is called ALIAS/.test(told)) return 'ALIAS';
  const type =
    /\b(?:[Aa]dd|keep) (?:an?|the|this|one) (A|ALIAS|CAA|CNAME|TXT) record/.exec(told)?.[1] ??
    /\b(CAA|CNAME|TXT) record/.exec(told)?.[1] ??
    /\b(CNAME|TXT) record/.exec(message)?.[1];
  if (type === undefined) throw new Error(`of which type? ${told}`);
  return type as Entry['type'];
}

function typedName(told: string): string {
  const [, name] = /Name: (?:`([^`]*)`|leave it empty)/.exec(told) ?? [];
  if (name === undefined && !told.includes('Name: leave it empty')) throw new Error(`under which name? ${told}`);
  return name ?? '';
}

function typedValue(told: string): string {
  const value = /Value: `([^`]*)`/.exec(told)?.[1];
  if (value === undefined) throw new Error(`with which value? ${told}`);
  const [, flags, tag] = /Flags: `(\d+)`, Tag: `(\w+)`/.exec(told) ?? [];
  return flags === undefined ? value : `${flags} ${tag} "${value}"`;
}
