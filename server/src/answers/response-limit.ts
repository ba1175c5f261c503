import { clientNetwork } from '../base/client-network.ts';

/**
 * Limits the responses over UDP to each client network, so that forged addresses make no amplifier of this server. A
 * real client gets every other response truncated, and asks again over TCP.
 */
export interface ResponseLimit {
  /** `now`: ms of a monotonic clock. */
  decide(address: string, now: number): 'send' | 'truncate' | 'drop';
}

/** Constant memory, whoever asks: networks of one slot share its limit. */
const SLOTS = 65_536;
/** Responses that a network has saved up at most, in seconds of its rate. */
const BURST_S = 2;

/** `perSecond`: for each /24 of IPv4 and /64 of IPv6. `seed`: nobody can choose whose slot to share. */
export function createResponseLimit(perSecond: number, seed: number): ResponseLimit {
  const burst = perSecond * BURST_S;
  const left = new Float64Array(SLOTS).fill(burst);
  const countedAt = new Float64Array(SLOTS);
  const slips = new Uint8Array(SLOTS);
  return {
    decide(address, now) {
      const slot = hash(networkOf(address), seed) % SLOTS;
      const earned = ((now - (countedAt[slot] ?? 0)) / 1000) * perSecond;
      const balance = Math.min(burst, (left[slot] ?? 0) + Math.max(0, earned));
      countedAt[slot] = now;
      left[slot] = balance < 1 ? balance : balance - 1;
      if (balance >= 1) return 'send';
      slips[slot] = (slips[slot] ?? 0) ^ 1;
      return slips[slot] === 1 ? 'truncate' : 'drop';
    },
  };
}

function networkOf(address: string): string {
  const network = clientNetwork(address);
  return network.includes('.') ? network.slice(0, network.lastIndexOf('.')) : network;
}

/** FNV-1a, 32 bits, from a seed. */
function hash(text: string, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  // Mixes the upper bits into those that choose the slot.
  return (value ^ (value >>> 15)) >>> 0;
}
