import { type ComponentType, lazy } from 'react';
import type { CardTier } from '../../../data/model/tiers.ts';

/** What the form that asks for a manual verification is given. */
export interface InlineVerificationProps {
  readonly walletAddress: string;
  readonly currentDetection: string;
  readonly onSuccess: () => void;
}

/** What the application for a card is given. */
export interface CardApplicationProps {
  readonly walletAddress: string;
  readonly tier: CardTier;
  /** BD, decimal text. */
  readonly stakedAmount: string;
  readonly onClose: () => void;
}

interface Part<Props> {
  readonly default: ComponentType<Props>;
}

const forms = import.meta.glob<Part<InlineVerificationProps>>(
  '../manual-verification/InlineVerificationForm.tsx',
);
const overlays = import.meta.glob<Part<CardApplicationProps>>('../application/CardApplicationOverlay.tsx');

/** The room of a form that this build does not have is taken by the way to the people who take the same by hand. */
function partOf<Props>(
  found: Readonly<Record<string, () => Promise<Part<Props>>>>,
  without: () => Promise<Part<Props>>,
) {
  const [load] = Object.values(found);
  return lazy<ComponentType<Props>>(load ?? without);
}

/** The forms that follow a check, each loaded when it is opened. */
export const InlineVerificationForm = partOf(forms, () => import('./AskSupport.tsx'));
export const CardApplicationOverlay = partOf(overlays, () => import('./AskSupport.tsx'));
