/** The service area that a person configured last, kept in the browser. */
const KEY = 'ebike_ops__config_area'

export const rememberedArea = (): string | null => localStorage.getItem(KEY)

export const keepArea = (id: string): void => localStorage.setItem(KEY, id)
