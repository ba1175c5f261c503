import { type DashboardTexts, ENGLISH } from '../text.ts';

export const ja: DashboardTexts = ENGLISH;
