/** A value that is not known: a dash, read out as what it means. */
export function Dash({ why = 'Not available' }: { readonly why?: string }) {
  return (
    <>
      <span aria-hidden="true">—</span>
      <span className="visually-hidden">{why}</span>
    </>
  );
}
