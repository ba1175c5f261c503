import { type DashboardTexts, ENGLISH } from '../text.ts';

export const es: DashboardTexts = ENGLISH;
