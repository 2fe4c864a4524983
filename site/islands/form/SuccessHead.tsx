import { useEffect, useRef } from 'react';
import styles from './form.module.css';

interface SuccessHeadProps {
  readonly id: string;
  readonly title: string;
  readonly referenceNumber: string;
}

/** The head of what follows a form: it takes the focus, and tells the reference number. */
export function SuccessHead({ id, title, referenceNumber }: SuccessHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p className={styles.label}>Reference number</p>
      <p className={styles.reference}>{referenceNumber}</p>
    </>
  );
}
