import { createContext, useContext, useId, useLayoutEffect, useState } from 'react'

/** Where a form stands: a drawer or a page, whose button saves it. */
export interface FormPlace {
  /** The form's id, by which the button knows it. */
  id: string
  /** For a form that can be saved, as long as it is there; what comes back takes it away. */
  enter(): () => void
  /** The button turns as long as this takes. */
  during(work: Promise<unknown>): void
}

const PlaceContext = createContext<FormPlace | null>(null)
export const FormPlaceProvider = PlaceContext.Provider

/** For a drawer or a page: what it provides, the id of the form to save (none while there is none), and whether that is under way. */
export function useFormPlace(): { place: FormPlace; form: string | undefined; saving: boolean } {
  const id = useId()
  const [forms, setForms] = useState(0)
  const [saving, setSaving] = useState(0)
  const [place] = useState<FormPlace>(() => ({
    id,
    enter: () => {
      setForms((count) => count + 1)
      return () => setForms((count) => count - 1)
    },
    during: (work) => {
      setSaving((count) => count + 1)
      void work.finally(() => setSaving((count) => count - 1))
    },
  }))
  return { place, form: forms > 0 ? id : undefined, saving: saving > 0 }
}

/** For a form: where it stands, null on its own; `savable` says whether there is anything to save. */
export function useInPlace(savable: boolean): FormPlace | null {
  const place = useContext(PlaceContext)
  // Before it is painted: the button comes with the form.
  useLayoutEffect(() => (savable ? place?.enter() : undefined), [place, savable])
  return place
}
