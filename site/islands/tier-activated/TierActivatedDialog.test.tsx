import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { plateLines } from '../../components/cards/plate-artwork.ts';
import { walletDesign } from '../../components/cards/wallet-design.ts';
import TierActivatedDialog from './TierActivatedDialog.tsx';
import { tierActivatedWords } from './tier-activated-words.ts';

const wallet = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';

describe('the dialog of an activated tier', () => {
  const html = renderToString(
    <TierActivatedDialog tier="banker" stakedAmount="5000000" walletAddress={wallet} onClose={() => {}} />,
  ).replaceAll('<!-- -->', '');

  it('names the tier, the stake and the wallet', () => {
    expect(html).toContain('Banker Tier Activated');
    expect(html).toContain('5,000,000.00 BD');
    expect(html).toContain(wallet);
  });

  it('shows the plate that is engraved for that wallet alone', () => {
    const lines = plateLines(walletDesign('Banker', wallet));
    expect(html).toContain(lines.rosettes);
    expect(html).not.toContain(plateLines(walletDesign('Banker', `${wallet.slice(0, -1)}5`)).rosettes);
  });

  it('leads to the card registration, or back to the platform', () => {
    expect(html).toContain('href="/card-registration"');
    expect(html).toContain('Continue Exploring Platform');
  });
});

describe('what is said of a tier', () => {
  it.each([
    ['duckling', 'Duckling', '$2,000 a day and $60,000 a month'],
    ['Banker', 'Banker', '$5,000 a day and $150,000 a month'],
    ['RAVEN', 'Raven', '$100,000 a day and $3,000,000 a month'],
  ])('is its own limits for %s', (name, tier, limits) => {
    expect(tierActivatedWords(name)).toMatchObject({ tier, title: `${tier} Tier Activated` });
    expect(tierActivatedWords(name).text).toContain(limits);
  });

  it('promises no card for any other', () => {
    const { tier, text } = tierActivatedWords('none');
    expect(tier).toBeNull();
    expect(text).not.toContain('qualifies');
  });
});
