import { CODES, refusalOf, type Api, type Confirm, type Setting } from '../../lib/api'

/** Changes a row's value: at once if it tightens, after a question if it loosens. */
export class Change {
  /** The value in question, null if there is no question. */
  asking = $state.raw<{ value: string; confirm: Confirm } | null>(null)
  /** The question has been visible long enough to be read. */
  armed = $state(false)
  busy = $state(false)
  error = $state('')
  saved = $state(false)
  /** Number of attempts. */
  attempts = $state(0)

  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly api: Api,
    private readonly server: string,
    private readonly ondone: (setting: Setting) => void,
    private readonly tool = '',
  ) {}

  /** Only the program knows what loosens. */
  async set(setting: Setting, value: string): Promise<void> {
    this.drop()
    if (this.busy || value === setting.value) return
    await this.doing(async () => {
      try {
        this.took(await this.api.setSetting({ key: setting.key, value, server: this.server, tool: this.tool, nonce: '' }))
      } catch (thrown) {
        if (refusalOf(thrown).code !== CODES.loosens) throw thrown
        await this.ask(setting.key, value)
      }
    })
  }

  async confirm(key: string): Promise<void> {
    const asking = this.asking
    if (!asking || !this.armed || this.busy) return
    await this.doing(async () => {
      try {
        this.took(await this.api.setSetting({ key, value: asking.value, server: this.server, tool: this.tool, nonce: asking.confirm.nonce }))
        this.drop()
      } catch (thrown) {
        this.drop() // a nonce works once
        throw thrown
      }
    })
  }

  drop(): void {
    clearTimeout(this.timer)
    this.asking = null
    this.armed = false
    this.error = ''
    this.saved = false
  }

  private async ask(key: string, value: string): Promise<void> {
    const confirm = await this.api.confirmLoosening(key, value, this.server, this.tool)
    this.asking = { value, confirm }
    this.armed = confirm.armAfterMs <= 0
    if (!this.armed) this.timer = setTimeout(() => (this.armed = true), confirm.armAfterMs)
  }

  private took(setting: Setting): void {
    this.saved = true
    this.ondone(setting)
  }

  private async doing(work: () => Promise<void>): Promise<void> {
    this.busy = true
    try {
      await work()
    } catch (thrown) {
      this.error = refusalOf(thrown).message
    } finally {
      this.busy = false
      this.attempts++
    }
  }
}
