import { type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  explicit,
  integer,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from '../../server/src/certificates/x509/der.ts';
import { certificatePem } from '../../server/src/certificates/x509/pem.ts';
import { publicKeyInfo } from '../../server/src/certificates/x509/private-key.ts';
import { keyPem, newKey } from './issue-chain.ts';

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';

/** A self-signed certificate without extensions, as clients may show it, and its key. */
export function clientCertificate(
  name: string,
  { notAfter = Date.now() + DAY_MS, key = newKey() }: { notAfter?: number; key?: KeyObject } = {},
): { certificate: string; privateKey: string; key: KeyObject } {
  const subject = sequence(set(sequence(oid(COMMON_NAME), utf8String(name))));
  const serial = randomBytes(16);
  serial.writeUInt8((serial.readUInt8(0) & 0x3f) | 0x40, 0);
  const content = sequence(
    explicit(0, integer([2])),
    integer(serial),
    sequence(oid(ECDSA_WITH_SHA256)),
    subject,
    sequence(time(notAfter - 30 * DAY_MS), time(notAfter)),
    subject,
    publicKeyInfo(key),
  );
  const signed = sequence(content, sequence(oid(ECDSA_WITH_SHA256)), bitString(sign('sha256', content, key)));
  return { certificate: certificatePem(signed), privateKey: keyPem(key), key };
}
