// C macros and variadic functions that Swift cannot import, as plain functions. No logic of the project lives here.
#pragma once
