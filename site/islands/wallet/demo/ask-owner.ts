import { DEMO_WALLETS, type DemoWallet } from '../../../../data/model/demo-wallets.ts';
import { askInDialog, made, pressable } from '../../../shell/wallet/wallet-dialog.ts';
import { DEMO_WALLET_NAME } from '../wallet-stores.ts';

/** Stands in everything that the demo wallet shows. */
const WARNING =
  'For trying the portal. Its keys are public and it works on the embedded ledger alone: nothing in it has a value.';

const bd = (amount: bigint) => amount.toLocaleString('en-GB');

function holdings({ stakedBd, heldBd }: DemoWallet): string {
  if (stakedBd > 0n) return `${bd(stakedBd)} BD staked`;
  return heldBd > 0n ? `${bd(heldBd)} BD held, none staked` : 'No BD';
}

/** Asks which of the demo's wallets to open to the page; null for none. */
export function askWhichWallet(): Promise<DemoWallet | null> {
  return askInDialog<DemoWallet>({ title: DEMO_WALLET_NAME, badge: 'Demo', lead: WARNING }, (settle) => [
    made(
      'ul',
      'options',
      ...DEMO_WALLETS.map((wallet) =>
        made(
          'li',
          '',
          pressable(
            'option',
            () => settle(wallet),
            made('span', '', wallet.label),
            made('small', '', holdings(wallet)),
          ),
        ),
      ),
    ),
    made(
      'div',
      'ways',
      pressable('button', () => settle(null), 'Cancel'),
    ),
  ]);
}

/** Asks whether to sign; shows what is signed. */
export async function askToSign(title: string, what: string): Promise<boolean> {
  const answer = await askInDialog<true>({ title, badge: 'Demo', lead: WARNING }, (settle) => [
    made('pre', '', what),
    made(
      'div',
      'ways',
      pressable('button gold', () => settle(true), 'Approve'),
      pressable('button', () => settle(null), 'Refuse'),
    ),
  ]);
  return answer === true;
}
