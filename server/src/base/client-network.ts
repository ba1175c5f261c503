import { isIP } from 'node:net';

/** The network that limits count a client by: its IPv4 address, or the first 64 bits of its IPv6 address (RFC 6177). */
export function clientNetwork(address: string): string {
  // A proxy forwards whatever it was sent as an address.
  if (isIP(address) === 0) return 'unknown';
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
