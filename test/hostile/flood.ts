import { buffer } from 'node:stream/consumers';
import { type Answer, judge, judgeError } from '../support/api-contract.ts';
import { seeded } from '../support/seeded-random.ts';
import { type Attack, createAttack } from './attack.ts';
import { dial, loopback, type Victim } from './server.ts';

/** Number of attacks by the status of their response; `none` had no response. */
export type Tally = Record<string, number>;

const AT_ONCE = 16;
const GOOD_EVERY = 100;
const LONGEST_MS = 20_000;

/**
 * Sends `count` random attacks. Rejects at the first answer that is not what openapi.json promises, and when a good
 * question has none.
 */
export async function flood(victim: Victim, { count, seed }: { count: number; seed: number }): Promise<Tally> {
  const tally: Tally = {};
  let sent = 0;

  async function attacker(): Promise<void> {
    while (sent < count) {
      sent += 1;
      const number = sent;
      const attack = createAttack(seeded(seed * 1_000_003 + number), victim.rootKey);
      const status = await strike(victim.port, attack, number).catch((error: unknown) => {
        const bytes = attack.bytes.subarray(0, 2000).toString('latin1');
        throw new Error(`attack ${number} of seed ${seed}: ${JSON.stringify(bytes)}`, { cause: error });
      });
      tally[status] = (tally[status] ?? 0) + 1;
      if (number % GOOD_EVERY === 0 && (await victim.ask()) !== 404) throw new Error('a good question had no answer');
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, attacker));
  return tally;
}

async function strike(port: number, { bytes, to }: Attack, number: number): Promise<string> {
  // Many addresses, so that the limit on failed authentications does not keep the attacks out.
  const socket = await dial(port, loopback(Math.floor(number / 100)));
  const late = setTimeout(() => socket.destroy(new Error('the server hangs')), LONGEST_MS);
  socket.end(bytes);
  const received = await buffer(socket).catch(() => null);
  const hangs = socket.errored?.message === 'the server hangs';
  clearTimeout(late);
  socket.destroy();
  if (hangs) throw new Error('the server hangs');
  const answer = received === null ? null : parseAnswer(received);
  if (answer === null) return 'none';
  if (answer.status >= 500) throw new Error(`answered ${answer.status}: ${answer.text}`);
  if (to !== undefined) judge(to.method, to.path, answer);
  else if (answer.body.error !== undefined) judgeError(answer);
  return String(answer.status);
}

/** The first answer, or null where there is none. Not to be used for HEAD. */
function parseAnswer(received: Buffer): Answer | null {
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^.*?: */, '')]),
  );
  const body = received.subarray(end + 4);
  if (status === 100) return parseAnswer(body);
  const text = body.subarray(0, Number(headers['content-length'] ?? body.length)).toString();
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  return { status, headers, text, body: isJson ? JSON.parse(text) : {} };
}
