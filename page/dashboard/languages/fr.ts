import { type DashboardTexts, ENGLISH } from '../text.ts';

export const fr: DashboardTexts = ENGLISH;
