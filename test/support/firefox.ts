import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms, TOOLS } from './debian.ts';
import { writeFonts } from './fonts.ts';
import { startService } from './service.ts';

const UNPACKED = join(TOOLS, 'firefox');

/** Firefox as Debian has it, without a window. */
export interface Firefox {
  /** A page in a window of its own, since Firefox hides tabs behind others; nothing is shared with other pages. */
  openPage(locale: string): Promise<FirefoxPage>;
  close(): Promise<void>;
}

export interface FirefoxPage {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page, where it is a promise once that is fulfilled. */
  evaluate(expression: string): Promise<unknown>;
  /** The page in full, as PNG. */
  screenshot(): Promise<Buffer>;
  /** Errors that no script of the page caught. */
  complaints: string[];
}

/** The first time it is fetched, about 120 MB: see `START_LIMIT_MS`. `fonts`: a folder with more fonts. */
export async function startFirefox({ fonts: more }: { fonts?: string } = {}): Promise<Firefox> {
  const programs = await findPrograms('firefox', ['firefox-esr', 'fonts-inter', 'fonts-dejavu-core']);
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-firefox-'));
  const fonts = await writeFonts(directory, [join(UNPACKED, 'usr/share/fonts'), more ?? '']);
  const words = ['--headless', '--no-remote', '--profile', directory, '--remote-debugging-port', '0'];
  const program = join(UNPACKED, 'usr/lib/firefox-esr/firefox-esr');
  const service = await startService(program, words, {
    // Inside the sandbox pages cannot read fonts of other folders. What is opened is of the tests themselves.
    env: {
      ...programs.env,
      PATH: process.env.PATH,
      HOME: directory,
      FONTCONFIG_FILE: fonts,
      MOZ_DISABLE_CONTENT_SANDBOX: '1',
    },
    ready: /WebDriver BiDi listening on \S+\n/,
  });
  const [, url] = /WebDriver BiDi listening on (\S+)/.exec(service.log()) ?? [];
  const session = await openSession(`${url}/session`);
  await session.send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  await session.send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    async openPage(locale) {
      const { userContext } = await session.send('browser.createUserContext', {});
      await session.send('emulation.setLocaleOverride', { locale, userContexts: [userContext] });
      const { context } = await session.send('browsingContext.create', { type: 'window', userContext });
      return pageOf(session, context);
    },
    async close() {
      await session.send('browser.close', {});
      await service.close();
      await rm(directory, { recursive: true });
    },
  };
}

function pageOf(session: Session, context: string): FirefoxPage {
  const complaints: string[] = [];
  session.listen(({ method, params }) => {
    const isOwn = method === 'log.entryAdded' && params.source.context === context;
    if (isOwn && params.type === 'javascript' && params.level === 'error') complaints.push(params.text);
  });
  return {
    complaints,
    async goto(url) {
      await session.send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      // As JSON: results have notations of their own otherwise.
      const asJson = `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? 'null')`;
      const about = { target: { context }, awaitPromise: true };
      const { result, exceptionDetails } = await session.send('script.evaluate', { expression: asJson, ...about });
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
      return JSON.parse(result.value);
    },
    async screenshot() {
      const { data } = await session.send('browsingContext.captureScreenshot', { context, origin: 'document' });
      return Buffer.from(data, 'base64');
    },
  };
}

/** WebDriver BiDi, as far as the tests need it. */
interface Session {
  // biome-ignore lint/suspicious/noExplicitAny: each command has a result of its own.
  send(method: string, params: object): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: and each event has parameters of its own.
  listen(hear: (event: { method: string; params: any }) => void): void;
}

async function openSession(url: string): Promise<Session> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const listeners: Parameters<Session['listen']>[0][] = [];
  socket.addEventListener('message', ({ data }) => {
    const { type, id, result, error, message, ...event } = JSON.parse(data);
    if (type === 'event') for (const hear of listeners) hear(event);
    else if (type === 'error') waiting.get(id)?.reject(new Error(`Firefox: ${error}: ${message}`));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has ended.'));
  });
  await once(socket, 'open');
  let commands = 0;
  return {
    send(method, params) {
      commands += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(commands, answer);
      socket.send(JSON.stringify({ id: commands, method, params }));
      return answer.promise;
    },
    listen: (hear) => void listeners.push(hear),
  };
}
