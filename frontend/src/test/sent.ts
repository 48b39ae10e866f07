const empty = (value: unknown) => value === undefined || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** A shape as the program sends it: these members are absent when they are empty (omitempty, omitzero). */
export function sent<T extends object>(shape: T, ...omitted: (keyof T)[]): T {
  return Object.fromEntries(Object.entries(shape).filter(([name, value]) => !omitted.includes(name as keyof T) || !empty(value))) as T
}
