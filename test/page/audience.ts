import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { findingForCustomer } from '../../server/src/api/setup/session-scope.ts';
import type { Finding } from '../../server/src/domain/finding.ts';
import { startFirefox } from '../support/firefox.ts';
import { japaneseFonts } from '../support/fonts.ts';
import {
  checkNow,
  listen,
  look,
  open,
  type Reader,
  readInChromium,
  readInFirefox,
  readProse,
  type Said,
} from './reader.ts';
import type { SetupLab } from './setup-lab.ts';
import {
  addTranslations,
  englishWordsIn,
  LANGUAGES,
  type Locale,
  type Subject,
  type Translations,
} from './translations.ts';

/** Six people who look at the page of one domain at once, in three languages and two browsers, each by a link of their own. */
export interface Audience {
  readers: Reader[];
  /** The first of them, the customer: in English, in Chromium. */
  context: BrowserContext;
  page: Page;
  /** Opens the page of a domain for all of them. */
  open(name: string): Promise<void>;
  /**
   * Waits until all pages say the same, each in its language, and one of the texts in English matches. Readers of English
   * ask for checks, where the page lets them; the others do nothing. Resolves with the time that each took from `since`,
   * in Unix ms.
   */
  hear(says: RegExp, since: number): Promise<Heard[]>;
  close(): Promise<void>;
}

export interface Heard extends Pick<Reader, 'browser' | 'locale'> {
  ms: number;
}

/** A result is shown at the end of a period of checks, at the latest. */
const LIMIT_MS = 100_000;

export async function gather(lab: SetupLab): Promise<Audience> {
  const firefox = await startFirefox({ fonts: await japaneseFonts() });
  const windows: { context: BrowserContext; page: Page }[] = [];
  const readers: Reader[] = [];
  for (const locale of Object.keys(LANGUAGES) as Locale[]) {
    const context = await lab.openBrowser(locale);
    const page = await context.newPage();
    windows.push({ context, page });
    readers.push(readInChromium(page, locale), await readInFirefox(firefox, locale));
  }
  const [first] = windows;
  if (first === undefined) throw new Error('nobody is there');
  let domain = '';

  return {
    ...first,
    readers,
    async open(name) {
      domain = name;
      // The limits of a link are for one page.
      const link = async () => (await lab.client.domains.createSetupLink({ domain: name })).url;
      await Promise.all(readers.map(async (reader) => open(reader, await link())));
    },
    async hear(says, since) {
      const heard = new Map<Reader, Heard>();
      const asking = readers.filter(({ locale }) => locale === 'en');
      const later = async (reader: Reader) => (await listen(reader)).filter(({ at }) => at >= since);
      // Pages look at the DNS at different times: what each may say is kept.
      const translations = { en: new Map(), de: new Map(), ja: new Map() } satisfies Record<Locale, Translations>;
      await eventually(`say ${says}`, async () => {
        const english = (await Promise.all(asking.map(later))).flat().filter(matching(says));
        if (english.length === 0) {
          await Promise.all(asking.map(checkNow));
          return readers;
        }
        const subject = await read();
        for (const [locale, texts] of Object.entries(translations))
          addTranslations(texts, subject, LANGUAGES[locale as Locale]);
        for (const reader of readers.filter((one) => !heard.has(one))) {
          const said = (await later(reader)).find(({ texts }) =>
            english.some((one) => isTranslation(texts, one.texts, translations[reader.locale])),
          );
          const { browser, locale } = reader;
          if (said !== undefined) heard.set(reader, { browser, locale, ms: said.at - since });
        }
        return readers.filter((reader) => !heard.has(reader));
      });
      await expectSame();
      await draw(String(says));
      return [...heard.values()];
    },
    async close() {
      for (const { context } of windows) await context.close();
      await firefox.close();
    },
  };

  async function read(): Promise<Subject> {
    const certificate = await lab.client.domains.getCertificate({ domain });
    const { findings, ...diagnosis } = await lab.client.domains.diagnoseDomain({ domain });
    return {
      certificate,
      diagnosis: { ...diagnosis, findings: findings.map((one) => findingForCustomer(one as Finding)) },
    };
  }

  /** For people who look at the pages. */
  async function draw(what: string): Promise<void> {
    const directory = process.env.PAGE_PICTURES;
    if (directory === undefined) return;
    for (const reader of readers) {
      const file = `${what.replaceAll(/\W+/g, '-')} ${reader.browser} ${reader.locale}.png`;
      await writeFile(join(directory, file), await reader.screenshot());
    }
  }

  /** All show the same steps and records, and no English but in English. */
  async function expectSame(): Promise<void> {
    const [first, ...others] = readers;
    if (first === undefined) return;
    await eventually('show the same records as the first', async () => {
      const shown = await look(first);
      const all = await Promise.all(others.map(async (one) => JSON.stringify(await look(one))));
      return others.filter((_, at) => all[at] !== JSON.stringify(shown));
    });
    for (const reader of readers) {
      const { lang, foreign, text } = await readProse(reader);
      expect({ lang, foreign }).toEqual({ lang: reader.locale, foreign: 0 });
      if (reader.locale !== 'en') expect(englishWordsIn(text, LANGUAGES[reader.locale])).toEqual([]);
      // It would find them.
      else expect(englishWordsIn(text, LANGUAGES.de)).not.toEqual([]);
    }
  }
}

/** Repeats a look until it finds no more readers. */
async function eventually(what: string, lookFor: () => Promise<Reader[]>): Promise<void> {
  const missing = async () => (await lookFor()).map(({ browser, locale }) => `${browser} ${locale}`);
  await expect.poll(missing, { timeout: LIMIT_MS, interval: 500, message: `Pages that do not ${what}` }).toEqual([]);
}

const matching =
  (says: RegExp) =>
  ({ texts }: Said) =>
    texts.some((text) => says.test(text));

function isTranslation(texts: string[], english: string[], translations: Translations): boolean {
  return texts.length === english.length && texts.every((text, at) => translations.get(english[at] ?? '')?.has(text));
}

/** The times of each browser, in seconds: of pages whose reader asked for a check, and of the others. */
export function timesTable(times: readonly Heard[]): string {
  const rows = (['Chromium', 'Firefox'] as const).flatMap((browser) =>
    [true, false].map((asks) => {
      const ms = times.filter((one) => one.browser === browser && (one.locale === 'en') === asks).map(({ ms }) => ms);
      const sorted = ms.toSorted((a, b) => a - b).map((each) => (each / 1000).toFixed(1));
      const median = sorted[Math.floor(sorted.length / 2)] ?? '–';
      return `| ${browser} | ${asks ? '“Check now”' : 'nothing, while another asks'} | ${ms.length} | ${median} | ${sorted[0]} to ${sorted.at(-1)} |`;
    }),
  );
  return ['| Browser | The reader does | Messages | Median, s | Range, s |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
