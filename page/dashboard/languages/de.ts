import { type DashboardTexts, ENGLISH } from '../text.ts';

export const de: DashboardTexts = ENGLISH;
