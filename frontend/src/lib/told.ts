import type * as page from '../api/wailsjs/go/desktop/Page'
import type { control, desktop, inspect, pin, vocab } from '../api/wailsjs/go/models'

/**
 * What the page may ask of the program, and nothing else: the methods of app/desktop's Page, as `make bindings` writes them. Each is
 * explained there, and so is each field, and where it is marked "server text": that goes to the screen through UntrustedText, or through
 * Name where it is a short name, and nowhere else. Times are RFC 3339 strings. Rooms and tests speak only this; lib/bound.ts carries it over.
 */
export type Api = { [Name in keyof typeof page as Uncapitalize<Name>]: (typeof page)[Name] }

export type Activity = desktop.Activity
export type ActivityQuery = vocab.Query
export type ActivityRecord = desktop.Record
export type ActivityRow = desktop.Record
export type AllowedCall = control.AllowedCall
export type AskedCall = desktop.AskedCall
export type CallFlow = desktop.CallFlow
export type Backup = control.Backup
export type Blocked = control.Blocked
export type Can = desktop.Can
export type Change = pin.Change
export type CleanDecided = control.CleanDecided
export type CleanServer = desktop.CleanServer
export type CleanSet = desktop.CleanSet
export type ClientEntry = control.ClientEntry
export type ClientFile = desktop.ClientFile
export type Colour = Light['colour']
export type Confirm = desktop.Confirm
export type Coverage = desktop.Coverage
export type Decided = control.Decided
export type Decision = desktop.Decision
export type Does = desktop.Does
export type ExceptDecision = desktop.ExceptDecision
export type ExceptFor = ExceptDecision['for']
export type Exception = desktop.Exception
export type Finding = inspect.Finding
export type GuardProvider = control.GuardProvider
export type GuardVerdict = control.GuardVerdict
export type Held = desktop.Held
export type HeldAll = desktop.HeldAll
export type HeldAllDecision = desktop.HeldAllDecision
export type HeldAllDone = control.DiscardedHeld
export type HeldArgument = desktop.HeldArgument
export type HeldDecision = desktop.HeldDecision
export type HeldDone = control.ReleaseAnswer
export type HeldPage = desktop.HeldPage
export type HeldPart = desktop.HeldPart
export type HeldState = Held['state']
export type HistoryEvent = desktop.Event
export type Item = desktop.Item
export type Light = control.Light
export type Looked = desktop.Looked
export type Overview = desktop.Overview
export type Part = control.Part
export type PartDetail = desktop.PartDetail
export type Preview = desktop.Preview
export type Problem = control.Problem
export type Review = desktop.Review
export type Segment = pin.Segment
export type Secrets = desktop.Secrets
export type Server = desktop.Server
export type ServerDetail = desktop.ServerDetail
export type ServerItem = desktop.ServerItem
export type SetSetting = desktop.SetSetting
export type Setting = desktop.Setting
export type SignedIn = desktop.SignedIn
export type SignInDecision = desktop.SignInDecision
export type SignInEnd = desktop.SignInEnd
export type SignInPlan = desktop.SignInPlan
export type ToolSetting = desktop.ToolSetting
export type Unguarded = desktop.Unguarded
export type Unseen = control.UnseenServer
export type WantedSignIn = desktop.WantedSignIn
