import { type DashboardTexts, ENGLISH } from '../text.ts';

export const pt: DashboardTexts = ENGLISH;
