import { useEffect, useState } from 'react';
import { useTicking } from '../../data/ticking-clock.ts';
import { useHydrated } from '../../data/use-hydrated.ts';
import { liveIsland } from '../ui/Live.tsx';
import { Outlook } from './Outlook.tsx';
import styles from './stake.module.css';
import { amountOfLink, parseTypedAmount, stakeOutlook } from './stake-amount.ts';

/** Works without a wallet. */
export default liveIsland(function StakeCalculator() {
  const today = useTicking((now) => new Date(now).toISOString().slice(0, 10));
  const isHydrated = useHydrated();
  const [typedText, setTypedText] = useState('');
  const [day, setDay] = useState('');
  useEffect(() => setTypedText(amountOfLink(location.search)), []);
  const amount = parseTypedAmount(typedText);
  const startsAt = Date.parse(day);
  return (
    <div className={`${styles.form} script-only`} data-calculator={amount === null ? 'empty' : 'known'}>
      <label htmlFor="calculator-amount">Amount</label>
      <span className={styles.entry}>
        <input
          id="calculator-amount"
          value={typedText}
          inputMode="decimal"
          maxLength={40}
          autoComplete="off"
          aria-invalid={typedText !== '' && amount === null}
          onChange={({ target }) => setTypedText(target.value)}
        />
        <span aria-hidden="true">BD</span>
      </span>
      <label htmlFor="calculator-day">Staked on</label>
      <span className={styles.entry}>
        <input
          id="calculator-day"
          type="date"
          value={day || (isHydrated ? today : '')}
          onChange={({ target }) => setDay(target.value)}
        />
      </span>
      <Outlook
        amount={amount}
        outlook={amount === null ? null : stakeOutlook(amount, '0', null)}
        startsAt={Number.isNaN(startsAt) ? null : startsAt}
      />
    </div>
  );
});
