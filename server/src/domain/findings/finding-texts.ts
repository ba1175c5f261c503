import type { FindingCode } from '../finding.ts';
import type { FindingText } from './record-texts.ts';
import { RECORD_TEXTS } from './record-texts.ts';
import { ZONE_TEXTS } from './zone-texts.ts';

/** The documentation of every code. */
export const FINDING_TEXTS: Record<FindingCode, FindingText> = { ...RECORD_TEXTS, ...ZONE_TEXTS };
