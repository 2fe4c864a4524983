import { describe, expect, it } from 'vitest';
import { cardLines, walletDesign } from '../../components/cards/card-design.ts';
import { htmlOf, textOf } from '../testing/render.ts';
import { SAMPLE_WALLET as wallet } from '../testing/samples.ts';
import TierActivatedDialog, { tierActivatedTexts } from './TierActivatedDialog.tsx';

describe('the tier activated dialog', () => {
  const dialog = (
    <TierActivatedDialog tier="banker" stakedAmount="6200000" walletAddress={wallet} onClose={() => {}} />
  );
  const html = htmlOf(dialog);

  it('names the tier, the stake, the threshold and the wallet', () => {
    const text = textOf(dialog);
    const artworkText = 'BlackDuck Banker Staked 6,200,000.00 BD';
    for (const expectedText of ['Banker Tier Activated', artworkText, '5,000,000 BD', wallet]) {
      expect(text).toContain(expectedText);
    }
  });

  it('shows the brand mark and the wallet’s own artwork', () => {
    expect(html).toContain('href="#brand-mark"');
    const lines = cardLines(walletDesign('Banker', wallet));
    expect(html).toContain(lines.rosettes);
    expect(html).not.toContain(cardLines(walletDesign('Banker', `${wallet.slice(0, -1)}5`)).rosettes);
  });

  it('leads to the card registration, or back to the platform', () => {
    expect(html).toContain('href="/card-registration"');
    expect(html).toContain('Continue Exploring Platform');
  });
});

describe('the text for a tier', () => {
  it.each([
    ['duckling', 'Duckling', '$2,000 a day and $60,000 a month'],
    ['Banker', 'Banker', '$5,000 a day and $150,000 a month'],
    ['RAVEN', 'Raven', '$100,000 a day and $3,000,000 a month'],
  ])('names its limits: %s', (name, tier, limits) => {
    const texts = tierActivatedTexts(name, '7500000');
    expect(texts).toMatchObject({ tier, title: `${tier} Tier Activated` });
    expect(texts.text).toContain(limits);
  });

  it('mentions the stake only if it earns the tier', () => {
    expect(tierActivatedTexts('Raven', '7500000').text).toMatch(/stake/);
    expect(tierActivatedTexts('Raven', '7499999.999999').text).not.toMatch(/stake/);
  });

  it('promises no card below the lowest tier', () => {
    const { tier, text } = tierActivatedTexts('none', '0');
    expect(tier).toBeNull();
    expect(text).not.toContain('qualifies');
  });
});
