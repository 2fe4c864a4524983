/** Leads to where a submission stands. The number rides in the fragment, which is sent to no server. */
export function StatusLink({ referenceNumber }: { readonly referenceNumber: string }) {
  return (
    <a className="button" href={`/application-status#reference=${referenceNumber}`}>
      See where it stands
    </a>
  );
}
