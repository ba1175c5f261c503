/** One rule of the language: what a sentence must not say, and what to write instead. */
export interface Rule {
  pattern: RegExp;
  instead: string;
  /** Whether it reads code, too. */
  code?: true;
  /** The start of the paths of pages that may say it. */
  notIn?: string;
  /** Sentences that may say it, each with its reason. As few as possible. */
  except?: readonly { page: string; sentence: string; reason: string }[];
}

export const rules: readonly Rule[] = [
  {
    pattern: /^What (?!to do: )(?:\S+ ){3,}[^?]*[.:]$/,
    instead: 'begin with a noun as the subject.',
  },
  {
    pattern: /\b[Ww]hat (?:waits|was told|was there|came of|becomes of)\b/,
    instead: 'name the thing: "the pending changes", "the result".',
  },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b/, instead: 'say who reports what, or "receives".' },
  { pattern: /\b(?:tells|tell|told|telling)\b(?!.*\bapart)/, instead: '"report", "say" or "show".' },
  {
    pattern:
      /\b(?:formerly|previously|used to (?:be|have|do)|in the past|no longer exists|since commit|was renamed|has been renamed)\b/,
    instead: 'no history: it belongs in decisions or the changelog.',
  },
  {
    pattern: /(?<![\w/])[\w/-]*(?:\/src\/|\btest\/)[\w./-]+|\.test\.ts\b/,
    code: true,
    notIn: 'docs/internals/',
    instead: 'no source paths and no test files in guides and reference.',
  },
  { pattern: /(?<![\w`-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,12}(?![\w`-])/, instead: 'no commits.' },
  { pattern: /\bunder way\b/, instead: '"in flight".' },
  { pattern: /\b(?:hindrances?|obstacles?)\b/, instead: '"blocker".' },
  { pattern: /\bin clear\b|\blies? in the (?:store|database)\b/, instead: '"unencrypted", "stored".' },
  { pattern: /\b(?:substitute CA|patience)\b/, instead: '"fallback", "time limit".' },
  { pattern: /\bupstreams?\b/, instead: '"origin".' },
  { pattern: /\b(?:mend|mends|mended)\b/, instead: '"fix".' },
  { pattern: /\b(?:one|those|ones?) of before\b|\bfrom before\b/, instead: '"the previous one".' },
  { pattern: /\bnone any more\b|\bstill so\b/, instead: 'say the state: "no mistakes are left".' },
  {
    pattern: /\btakes? turns\b|\bgoes? on being\b|\bhow it stands\b/,
    instead: '"round robin", "keeps being", "its state".',
  },
];
