import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { WalletProvider } from '../wallet/WalletProvider.tsx';
import RequiredDialog from './RequiredDialog.tsx';
import { Panel } from './VerificationPanel.tsx';

const wallet = '4MvNhuHvLF1j8hB5jsS6J2WW26K3JfHMNVKpkfBbsie4';
const drawn = (part: React.ReactNode) => renderToString(part).replaceAll('<!-- -->', '');

describe('the panel', () => {
  it('says how long a check may take, and checks nothing before there is an address', () => {
    const html = drawn(
      <WalletProvider>
        <Panel check={() => Promise.reject(new Error('not asked'))} />
      </WalletProvider>,
    );
    expect(html).toContain('Verification can take up to 60 seconds.');
    expect(html).toMatch(/<button[^>]* disabled=""[^>]*>Verify Wallet</);
  });
});

describe('the dialog of a wallet without a tier', () => {
  const html = drawn(
    <RequiredDialog
      result={{
        walletAddress: wallet,
        tier: 'None',
        stakedAmount: '0',
        detectionMethod: 'token_account_analysis',
        currentDetection: '2000000.5 BD in wallet (not staked) (token_account_analysis)',
      }}
      onClose={() => {}}
    />,
  );

  it('tells what was detected, and of which wallet', () => {
    expect(html).toContain('Verification Required');
    expect(html).toContain('2,000,000.5 BD in wallet (not staked) (token_account_analysis)');
    expect(html).toContain('4MvNhuHv…fBbsie4'.slice(0, 9));
    expect(html).not.toContain(wallet);
  });

  it('explains the review, and what a membership asks for', () => {
    expect(html).toContain('Manual Review Process');
    expect(html).toContain('within 24 hours');
    expect(html).toContain('Request Manual Verification');
    for (const minimum of ['1,500,000 BD', '5,000,000 BD', '7,500,000 BD']) expect(html).toContain(minimum);
    expect(html).toContain('Card services are exclusively in USDT.');
  });
});
