import type { Page } from 'playwright-core';
import type { Firefox } from '../support/firefox.ts';
import type { Locale } from './translations.ts';

/** A page of a browser that somebody reads, in a language. */
export interface Reader {
  browser: 'Chromium' | 'Firefox';
  locale: Locale;
  goto(url: string): Promise<void>;
  /** The value of an expression in the page, where it is a promise once that is fulfilled. */
  evaluate(expression: string): Promise<unknown>;
  /** The page in full, as PNG. */
  screenshot(): Promise<Buffer>;
  /** Errors that no script of the page caught. */
  complaints: string[];
}

export function readInChromium(page: Page, locale: Locale): Reader {
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  return {
    ...{ browser: 'Chromium', locale, complaints },
    async goto(url) {
      await page.goto(url);
    },
    evaluate: (expression) => page.evaluate(expression),
    screenshot: () => page.screenshot({ fullPage: true }),
  };
}

export async function readInFirefox(firefox: Firefox, locale: Locale): Promise<Reader> {
  return { ...(await firefox.openPage(locale)), browser: 'Firefox', locale };
}

/** Texts of the task: its title, what the page says about it, and what it says about each of its records. */
export interface Said {
  /** Unix ms. */
  at: number;
  texts: string[];
}

/** In the page: keeps what it says, and since when. A reload would forget it. */
const RECORD = `(() => {
  const places = [
    'h2',
    '[role=status] > p',
    '.task > li:nth-child(2) > p:not(.note)',
    '.purpose',
    '.problem > p',
    '.instead > p',
  ].map((place) => '.current-step ' + place);
  places.push('.moving > h3', '.moving > p', '.moving .purpose');
  const said = [];
  const read = () => {
    const texts = [...document.querySelectorAll(places.join())].map((each) => each.textContent.trim());
    if (JSON.stringify(texts) !== JSON.stringify(said.at(-1)?.texts)) said.push({ at: Date.now(), texts });
  };
  new MutationObserver(read).observe(document, { subtree: true, childList: true, characterData: true });
  read();
  globalThis.said = said;
})()`;

/** Opens a link in a page that may have shown another one. */
export async function open(reader: Reader, url: string): Promise<void> {
  await reader.goto('about:blank');
  await reader.goto(url);
  await reader.evaluate(RECORD);
}

/** All that the page has said since it was opened. Throws after a reload. */
export async function listen(reader: Reader): Promise<Said[]> {
  return (await reader.evaluate('said')) as Said[];
}

/** A step or record as the page shows it, but for its words. */
export interface Shown {
  /** States of the steps: DNS records, certificate, live. */
  steps: string[];
  /** Each record of the task: its type, its state, and each text to type or to replace. */
  records: { type: string; state: string; texts: string[] }[];
}

const SHOWN = String.raw`(() => {
  const all = (place, within = document) => [...within.querySelectorAll(place)];
  return {
    steps: all('.steps li').map((each) => each.className),
    records: all('.current-step article.record').map((card) => ({
      type: /\w+/.exec(card.querySelector('header h3').textContent)[0],
      state: card.className,
      texts: all('dd code, dd em', card).map((each) => (each.nodeName === 'EM' ? '' : each.textContent)),
    })),
  };
})()`;

export async function look(reader: Reader): Promise<Shown> {
  return (await reader.evaluate(SHOWN)) as Shown;
}

const PROSE = `(() => {
  // Names are in several nodes, each of which ends with a dot.
  const texts = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const isValue = element.closest('code, .languages, script, style') !== null;
    // A path in the panel of a provider, which may be in English alone.
    const isPath = element.closest('bdi')?.textContent.includes('›');
    if (isValue || isPath || !element.checkVisibility()) continue;
    texts.set(element, (texts.get(element) ?? '') + walker.currentNode.textContent);
  }
  const { lang } = document.documentElement;
  const foreign = document.querySelectorAll('[lang]:not([lang=' + lang + '], .languages *)').length;
  return { lang, foreign, text: [...texts.values()].join('\\n') };
})()`;

/** Its language, the number of its parts in another language, and its text but for values and names of others. */
interface Prose {
  lang: string;
  foreign: number;
  text: string;
}

export async function readProse(reader: Reader): Promise<Prose> {
  return (await reader.evaluate(PROSE)) as Prose;
}

/** Asks for a check, where the button is there and may be used. */
export async function checkNow(reader: Reader): Promise<void> {
  await reader.evaluate(`document.querySelector('.check button[aria-disabled=false]')?.click()`);
}
