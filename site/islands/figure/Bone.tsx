import styles from './bone.module.css';

/** The place of a text that is on its way, about `width` characters wide. Not seen where no script runs. */
export function Bone({ width }: { readonly width: number }) {
  return <span className={`${styles.bone} script-only`} style={{ width: `${width}ch` }} aria-hidden="true" />;
}
