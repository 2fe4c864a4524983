import * as PATHS from '../../../data/contract/paths.ts';
import { apiUrl } from '../../data/request.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import QrCode from '../ui/QrCode.tsx';
import styles from './stake.module.css';

/**
 * Two links for making a stake: one to this page, which wallets and sites can show as a Solana Action, and one for Solana Pay.
 */
export function stakeLinks(amount: string | null, origin: string, apiOrigin: string) {
  const query = amount === null ? '' : `?amount=${amount}`;
  return {
    page: `${origin}/staking${query}`,
    pay: `solana:${encodeURIComponent(`${apiOrigin}${PATHS.stakeAction}${query}`)}`,
  };
}

/** @param amount BD as decimal text; null if the recipient of the link chooses it */
export default function ShareStake({ amount }: { readonly amount: string | null }) {
  const links = stakeLinks(amount, location.origin, new URL(apiUrl(''), location.href).origin);
  return (
    <div className={styles.share}>
      <QrCode text={links.pay} label="Solana Pay code for this stake" />
      <div>
        <p>
          Scan the code with a wallet that supports Solana Pay, or share the link. Wallets and sites that
          support Solana Actions show the link as a card with a button to stake. The lock and the costs are
          the same everywhere.
        </p>
        <CopyButton text={links.page} name="link" showsName />
      </div>
    </div>
  );
}
